import type { Metadata } from 'next';
import { ActionsPage } from '../../../../components/dashboard/actions/actions-page.tsx';

export const metadata: Metadata = { title: 'Actions' };

export default function ActionListPage() {
  return <ActionsPage />;
}
