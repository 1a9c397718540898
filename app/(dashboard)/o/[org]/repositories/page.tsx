import type { Metadata } from 'next';
import { RepositoriesPage } from '../../../../components/dashboard/repositories/repositories-page.tsx';

export const metadata: Metadata = { title: 'Repositories' };

export default function RepositoryListPage() {
  return <RepositoriesPage />;
}
