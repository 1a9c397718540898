export interface Terminal {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly color: boolean;
  readonly version: string;
  readonly program?: URL;
}
