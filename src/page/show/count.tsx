interface CountProps {
  readonly value: string;
  readonly label: string;
  readonly isSmall?: boolean;
}

/** A number with its name below. */
export function Count({ value, label, isSmall = false }: CountProps) {
  return (
    <div class={isSmall ? 'count count-s' : 'count'}>
      <span class="v">{value}</span>
      <span class="l">{label}</span>
    </div>
  );
}
