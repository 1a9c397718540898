/** An image cannot inject markup into the page. */
export function Badge({ svg, text }: { readonly svg: string; readonly text: string }) {
  const [, width = '', height = ''] = /<svg[^>]*\swidth="([\d.]+)"[^>]*\sheight="([\d.]+)"/.exec(svg) ?? [];
  return (
    // oxlint-disable-next-line nextjs/no-img-element
    <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} width={width} height={height} alt={text} />
  );
}
