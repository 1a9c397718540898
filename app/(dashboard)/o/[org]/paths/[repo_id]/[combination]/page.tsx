import type { Metadata } from 'next';
import { PathPage } from '../../../../../../components/dashboard/paths/path-page.tsx';

export const metadata: Metadata = { title: 'Attack path' };

interface Props {
  readonly params: Promise<{ readonly repo_id: string; readonly combination: string }>;
}

export default async function AttackPathPage({ params }: Props) {
  const { repo_id: repoId, combination } = await params;
  return <PathPage repoId={repoId} combination={combination} />;
}
