/** Where the program prints, and how. */
export interface Terminal {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly color: boolean;
  readonly version: string;
  /** The program's own file, for further threads of it. */
  readonly program?: URL;
}
