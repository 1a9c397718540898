import { Banner } from '../ui/banner.tsx';

export function NeedsScript() {
  return (
    <noscript>
      <Banner tone="neutral" title="This page needs JavaScript">
        <p>The sign-in is kept in the browser and scans are started from it: without scripts neither works.</p>
      </Banner>
    </noscript>
  );
}
