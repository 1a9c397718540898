import type { ComponentProps } from 'react';
import { CodeSnippet } from './code-snippet.tsx';
import { CopyButton } from './copy-button.tsx';

interface Props extends Omit<ComponentProps<typeof CodeSnippet>, 'action'> {
  readonly copy: string;
}

export function CopiedCode({ copy, ...rest }: Props) {
  const button = <CopyButton label={copy} text={rest.code} className="min-h-8! px-2.5! font-sans text-xs!" />;
  return <CodeSnippet {...rest} action={button} />;
}
