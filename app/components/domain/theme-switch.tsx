'use client';

import { DeviceDesktopIcon, MoonIcon, SunIcon } from '@primer/octicons-react';
import { useTheme } from 'next-themes';
import { useSyncExternalStore } from 'react';
import { Icon } from '../ui/octicon.tsx';

const CHOICES = [
  { theme: 'light', label: 'Light', icon: SunIcon },
  { theme: 'dark', label: 'Dark', icon: MoonIcon },
  { theme: 'system', label: 'System', icon: DeviceDesktopIcon },
] as const;

const never = () => () => {};

export function ThemeSwitch() {
  const { theme, setTheme } = useTheme();
  const running = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  return (
    <fieldset className="needs-script flex rounded-control border border-line p-0.5">
      <legend className="sr-only">Colours</legend>
      {CHOICES.map(({ theme: value, label, icon }) => (
        <label
          key={value}
          title={label}
          className="flex size-7 cursor-pointer items-center justify-center rounded-[4px] text-muted hover:text-fg has-checked:bg-inset has-checked:text-fg has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="theme"
            value={value}
            checked={running && theme === value}
            onChange={() => setTheme(value)}
            className="sr-only"
          />
          <Icon of={icon} />
          <span className="sr-only">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
