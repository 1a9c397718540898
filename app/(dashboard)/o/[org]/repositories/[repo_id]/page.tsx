import type { Metadata } from 'next';
import { RepositoryPage } from '../../../../../components/dashboard/repositories/repository-page.tsx';

export const metadata: Metadata = { title: 'Repository' };

interface Props {
  readonly params: Promise<{ readonly repo_id: string }>;
}

export default async function OneRepositoryPage({ params }: Props) {
  const { repo_id: repoId } = await params;
  return <RepositoryPage repoId={repoId} />;
}
