// SPDX-License-Identifier: Apache-2.0
declare module "lz4js" {
  const lz4: { compress(data: Uint8Array): Uint8Array; decompress(data: Uint8Array): Uint8Array };
  export default lz4;
}
