'use client';

interface Props {
  readonly label: string;
  readonly on: boolean;
  readonly disabled?: boolean;
  readonly onChange: (on: boolean) => void;
}

export function Switch({ label, on, disabled = false, onChange }: Props) {
  return (
    <label className="inline-flex min-h-6 cursor-pointer items-center gap-2 text-sm has-disabled:cursor-default has-disabled:text-muted">
      <input
        type="checkbox"
        role="switch"
        aria-checked={on}
        checked={on}
        disabled={disabled}
        onChange={({ target }) => onChange(target.checked)}
        className="size-4 accent-accent"
      />
      <span className="sr-only">{label}</span>
      <span aria-hidden="true">{on ? 'On' : 'Off'}</span>
    </label>
  );
}
