import { Icon } from '../show/icon.tsx';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** A field that searches for the typed text. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  return (
    <label class="find grow">
      <Icon name="search" />
      <span class="sr">{label}</span>
      <input
        type="search"
        placeholder={label}
        autocomplete="off"
        value={value}
        onInput={({ currentTarget }) => onSearch(currentTarget.value)}
      />
    </label>
  );
}
