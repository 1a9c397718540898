import { notFound, permanentRedirect } from 'next/navigation';
import { readCombinationPage } from '#lib/services/pages/combination-page.ts';

interface Props {
  readonly params: Promise<{ readonly id?: readonly string[] }>;
}

/** The former address of attack paths, to which released versions of the command line link. */
export default async function FormerAddress({ params }: Props) {
  const { id: [id, ...more] = [] } = await params;
  if (id === undefined) permanentRedirect('/attack-paths');
  if (more.length > 0 || readCombinationPage(id) === undefined) notFound();
  permanentRedirect(`/attack-paths/${id}`);
}
