import { Icon } from '../show/icon.tsx';

interface ChooseProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}

/** A choice as the system's own list, which suits every screen. */
export function Choose({ label, value, options, onChoose }: ChooseProps) {
  return (
    <label class="choose">
      <span class="sr">{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </label>
  );
}
