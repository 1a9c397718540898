import type { Metadata } from 'next';
import { PathsPage } from '../../../../components/dashboard/paths/paths-page.tsx';

export const metadata: Metadata = { title: 'Attack paths' };

export default function AttackPathsPage() {
  return <PathsPage />;
}
