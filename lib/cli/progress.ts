import { oneLine } from '#lib/report/visible.ts';

export class Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #total: number;
  readonly #start = performance.now();
  #drawn = 0;
  #done = 0;

  constructor(total: number, stream: NodeJS.WriteStream) {
    this.#total = total;
    this.#stream = stream;
  }

  advance(what: string): void {
    this.#done += 1;
    const now = performance.now();
    if (!this.#stream.isTTY || now - this.#start < 1_000 || now - this.#drawn < 100) return;
    this.#drawn = now;
    const filled = Math.round((20 * this.#done) / this.#total);
    const bar = '█'.repeat(filled) + '░'.repeat(20 - filled);
    this.#stream.write(`\r\u001B[K${bar} ${this.#done}/${this.#total} ${oneLine(what).slice(0, 50)}`);
  }

  end(): void {
    if (this.#drawn > 0) this.#stream.write('\r\u001B[K');
  }
}
