import type { Metadata } from 'next';
import { isActionName } from '../../../../../../components/action/action-name.ts';
import { ActionPage } from '../../../../../../components/dashboard/actions/action-page.tsx';

interface Props {
  readonly params: Promise<{ readonly owner: string; readonly name: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { owner, name } = await params;
  return { title: isActionName(owner, name) ? `${owner}/${name}` : 'Action' };
}

export default async function OneActionPage({ params }: Props) {
  const { owner, name } = await params;
  return <ActionPage owner={owner} name={name} />;
}
