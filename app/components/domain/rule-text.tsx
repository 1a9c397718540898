import { visible } from '#lib/report/visible.ts';

export function RuleText({ text }: { readonly text: string }) {
  return visible(text)
    .split('`')
    .map((part, index) => {
      const key = `${index}:${part}`;
      return index % 2 === 1 ? <code key={key}>{part}</code> : part;
    });
}
