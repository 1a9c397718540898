import { visible } from '#lib/report/visible.ts';
import { ExternalLink } from '../../ui/external-link.tsx';

interface Props {
  readonly repository: { readonly html_url: string };
  readonly commit: string | null;
  readonly file: string;
  readonly line: number | null;
}

export function FileLink({ repository, commit, file, line }: Props) {
  const text = <code className="wrap-anywhere">{`${visible(file)}${line === null ? '' : `:${line}`}`}</code>;
  if (commit === null) return text;
  const path = file.split('/').map(encodeURIComponent).join('/');
  return (
    <ExternalLink href={`${repository.html_url}/blob/${commit}/${path}${line === null ? '' : `#L${line}`}`}>
      {text}
    </ExternalLink>
  );
}
