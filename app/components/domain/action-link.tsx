import { clsx } from 'clsx';

export function ActionLink({
  owner,
  name,
  className,
}: {
  readonly owner: string;
  readonly name: string;
  readonly className?: string;
}) {
  return (
    <a href={`/actions/${owner}/${name}`} className={clsx('link [overflow-wrap:anywhere]', className)}>
      {owner}/<wbr />
      {name}
    </a>
  );
}
