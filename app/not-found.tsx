import { Page, PageHeader } from './components/ui/frame.tsx';

export default function NotFound() {
  return (
    <Page narrow>
      <PageHeader title="There is nothing at this address" above="404">
        <p>
          It may have moved or never existed.{' '}
          <a className="link" href="/">
            Scan a repository
          </a>
          , or look at the{' '}
          <a className="link" href="/rules">
            rules
          </a>
          .
        </p>
      </PageHeader>
    </Page>
  );
}
