interface ProgressBarProps {
  readonly made: number;
  readonly asked: number;
}

/** The made part of the asked pieces; the numbers stand beside it. */
export function ProgressBar({ made, asked }: ProgressBarProps) {
  return (
    <span class="progress" aria-hidden="true">
      <i style={{ width: `${asked === 0 ? 0 : (made / asked) * 100}%` }} />
    </span>
  );
}
