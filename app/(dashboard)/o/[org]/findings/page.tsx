import type { Metadata } from 'next';
import { FindingsPage } from '../../../../components/dashboard/findings/findings-page.tsx';

export const metadata: Metadata = { title: 'Findings' };

export default function FindingListPage() {
  return <FindingsPage />;
}
