import { notFound } from 'next/navigation';

/** Unknown addresses get the group's 404 page, which has its top bar and footer. */
export default function MissingPage() {
  notFound();
}
