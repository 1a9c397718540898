export async function* linesOf(input: AsyncIterable<Uint8Array> | undefined): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const chunk of input ?? []) {
    rest += Buffer.from(chunk).toString('utf8');
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      yield rest.slice(0, end);
      rest = rest.slice(end + 1);
    }
  }
  if (rest !== '') yield rest;
  return undefined;
}
