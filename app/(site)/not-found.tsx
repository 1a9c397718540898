import { SimilarPages } from '../components/domain/similar-pages.tsx';
import { Page, PageHeader } from '../components/ui/frame.tsx';

export default function NotFound() {
  return (
    <Page narrow>
      <PageHeader title="Page not found" above="404">
        <p>
          It may have moved or never existed.{' '}
          <a className="link" href="/">
            Scan a repository
          </a>
          , or browse the{' '}
          <a className="link" href="/rules">
            rules
          </a>
          , the{' '}
          <a className="link" href="/attack-paths">
            attack paths
          </a>{' '}
          and the{' '}
          <a className="link" href="/docs">
            documentation
          </a>
          .
        </p>
      </PageHeader>
      <SimilarPages />
    </Page>
  );
}
