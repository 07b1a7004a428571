/** The reason why bytes are refused as an image. The message completes the sentence `image …`. */
export class ImageFault extends Error {}
