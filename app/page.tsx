export default function Home() {
  return (
    <>
      <h1>Find the attack paths in your CI workflows, and the changes that break them</h1>
      <p>
        Chainbreak reads the workflow files of a repository, reports what an attacker could use, and says which change
        closes each path. Scan a public repository without an account:
      </p>
      <pre aria-label="Scan a public repository" tabIndex={0}>
        <code>{`curl -X POST -H 'Content-Type: application/json' \\
  -d '{"repo": "owner/repo"}' /api/public-scan`}</code>
      </pre>
      <h2>What the scan keeps to itself</h2>
      <p>
        The answer tells how many findings there are, how serious, and the kind of the first three: never in which file,
        on which line, or how to use them. A result is kept for an hour; its share link stays.
      </p>
      <h2>Show the result</h2>
      <p>
        A badge for the README is at <code>/api/badge/owner/repo.svg</code>. The{' '}
        <a href="/openapi.json">description of the API</a> lists what needs no sign-in, and each{' '}
        <a href="/problems">problem</a> has a page.
      </p>
    </>
  );
}
