import { visible } from '#lib/report/visible.ts';

/** Shows text of a repository: never markup, hidden characters spelled out, and without effect on the text around it. */
export function ForeignText({ text, className }: { readonly text: string; readonly className?: string }) {
  return (
    <bdi dir="auto" className={className}>
      {visible(text)}
    </bdi>
  );
}
