'use client';

import { DownloadIcon } from '@primer/octicons-react';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/octicon.tsx';

export function DownloadButton({
  label,
  text,
  filename,
}: {
  readonly label: string;
  readonly text: string;
  readonly filename: string;
}) {
  const download = () => {
    const address = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = filename.split('/').at(-1) ?? filename;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1_000);
  };
  return (
    <Button onClick={download}>
      <Icon of={DownloadIcon} />
      {label}
    </Button>
  );
}
