import type { ReactNode } from 'react';
import { Shell } from '../../../components/dashboard/shell.tsx';

interface Props {
  readonly params: Promise<{ readonly org: string }>;
  readonly children: ReactNode;
}

export default async function OrgLayout({ params, children }: Props) {
  const { org } = await params;
  return <Shell orgId={org}>{children}</Shell>;
}
