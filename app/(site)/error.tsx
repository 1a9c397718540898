'use client';

import { useEffect, useState } from 'react';
import { Button } from '../components/ui/button.tsx';
import { Page, PageHeader } from '../components/ui/frame.tsx';
import { SITE } from '../site.ts';

export default function Failure() {
  const [requestId, setRequestId] = useState('');
  useEffect(() => setRequestId(document.body.dataset['requestId'] ?? ''), []);
  return (
    <Page narrow>
      <title>{`Something went wrong · ${SITE.name}`}</title>
      <PageHeader title="Something went wrong" above="500">
        <p>This is our fault, not yours. Reload the page, or try again later.</p>
      </PageHeader>
      {requestId !== '' && (
        <p className="mb-6 text-sm text-muted">
          If this keeps happening, report this id: <code>{requestId}</code>
        </p>
      )}
      <Button onClick={() => location.reload()}>Reload the page</Button>
    </Page>
  );
}
