import { Banner } from '../ui/banner.tsx';

export function NeedsScript() {
  return (
    <noscript>
      <Banner tone="neutral" title="This page needs JavaScript">
        <p>Signing in and starting scans happen in the browser.</p>
      </Banner>
    </noscript>
  );
}
