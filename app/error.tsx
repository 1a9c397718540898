'use client';

import { useEffect, useState } from 'react';
import { Button } from './components/ui/button.tsx';
import { Page, PageHeader } from './components/ui/frame.tsx';
import { SITE } from './messages.ts';

/** Shown for a failed page; the log has the details under the request id. */
export default function Failure() {
  const [requestId, setRequestId] = useState('');
  useEffect(() => setRequestId(document.body.dataset['requestId'] ?? ''), []);
  return (
    <Page narrow>
      <title>{`Something went wrong here · ${SITE.name}`}</title>
      <PageHeader title="Something went wrong here" above="500">
        <p>The page could not be shown; the request was fine. Reload it, or try again later.</p>
      </PageHeader>
      {requestId !== '' && (
        <p className="mb-6 text-sm text-muted">
          If it stays, report this id: <code>{requestId}</code>
        </p>
      )}
      <Button onClick={() => location.reload()}>Reload the page</Button>
    </Page>
  );
}
