import type { Metadata } from 'next';
import { OpenOrg } from '../../components/dashboard/open-org.tsx';

export const metadata: Metadata = { title: 'Your organization' };

export default function OrgChoicePage() {
  return <OpenOrg />;
}
