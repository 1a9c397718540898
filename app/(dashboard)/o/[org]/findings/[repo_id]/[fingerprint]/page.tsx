import type { Metadata } from 'next';
import { FindingPage } from '../../../../../../components/dashboard/findings/finding-page.tsx';

export const metadata: Metadata = { title: 'Finding' };

interface Props {
  readonly params: Promise<{ readonly repo_id: string; readonly fingerprint: string }>;
}

export default async function OneFindingPage({ params }: Props) {
  const { repo_id: repoId, fingerprint } = await params;
  return <FindingPage repoId={repoId} fingerprint={fingerprint} />;
}
