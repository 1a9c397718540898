export interface Terminal {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly color: boolean;
  readonly version: string;
  /** The bundled program, which extra threads run. */
  readonly program?: URL;
}
