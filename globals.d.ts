/** Node's fetch accepts streams, which the DOM types lack. */
interface RequestInit {
  duplex?: 'half';
}

declare module '*.md' {
  const page: import('./lib/tools/render-markdown.mjs').RenderedDoc;
  export default page;
}
