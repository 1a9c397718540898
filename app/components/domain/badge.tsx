/** A badge as READMEs show it. It is a picture, not markup: nothing in it becomes a part of the page. */
export function Badge({ svg, text }: { readonly svg: string; readonly text: string }) {
  const [, width = '', height = ''] = /<svg[^>]*\swidth="([\d.]+)"[^>]*\sheight="([\d.]+)"/.exec(svg) ?? [];
  return (
    // An image of a known size that nobody has to fetch.
    // oxlint-disable-next-line nextjs/no-img-element
    <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} width={width} height={height} alt={text} />
  );
}
