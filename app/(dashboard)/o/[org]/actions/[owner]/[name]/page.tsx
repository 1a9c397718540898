import type { Metadata } from 'next';
import { ActionPage } from '../../../../../../components/dashboard/actions/action-page.tsx';

export const metadata: Metadata = { title: 'Action' };

interface Props {
  readonly params: Promise<{ readonly owner: string; readonly name: string }>;
}

export default async function OneActionPage({ params }: Props) {
  const { owner, name } = await params;
  return <ActionPage owner={owner} name={name} />;
}
