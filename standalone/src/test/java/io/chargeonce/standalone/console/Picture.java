// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone.console;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;

/** A screenshot as a small file: the page has few colours, so 256 of them are enough. */
final class Picture {

    private static final int COLOURS = 256;

    private Picture() {}

    static void write(byte[] screenshot, Path file) throws IOException {
        BufferedImage full = ImageIO.read(new ByteArrayInputStream(screenshot));
        int[] pixels = full.getRGB(0, 0, full.getWidth(), full.getHeight(), null, 0, full.getWidth());
        int[] palette = palette(pixels);
        var model = new IndexColorModel(8, palette.length, palette, 0, false, -1, java.awt.image.DataBuffer.TYPE_BYTE);
        var small = new BufferedImage(full.getWidth(), full.getHeight(), BufferedImage.TYPE_BYTE_INDEXED, model);
        Map<Integer, Integer> nearest = new HashMap<>();
        byte[] indexed = new byte[pixels.length];
        for (int i = 0; i < pixels.length; i++) {
            indexed[i] = nearest.computeIfAbsent(pixels[i], colour -> nearest(colour, palette)).byteValue();
        }
        small.getRaster().setDataElements(0, 0, full.getWidth(), full.getHeight(), indexed);
        Files.createDirectories(file.getParent());
        ImageIO.write(small, "png", file.toFile());
    }

    /** The most frequent colours; colours of glyphs' edges are many, rare and close to these. */
    private static int[] palette(int[] pixels) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (int pixel : pixels) {
            counts.merge(pixel, 1, Integer::sum);
        }
        List<Map.Entry<Integer, Integer>> frequent = counts.entrySet().stream()
                .sorted(Map.Entry.<Integer, Integer>comparingByValue().reversed()).limit(COLOURS).toList();
        return frequent.stream().mapToInt(Map.Entry::getKey).toArray();
    }

    private static int nearest(int colour, int[] palette) {
        int best = 0;
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < palette.length && least > 0; i++) {
            int red = (colour >> 16 & 0xff) - (palette[i] >> 16 & 0xff);
            int green = (colour >> 8 & 0xff) - (palette[i] >> 8 & 0xff);
            int blue = (colour & 0xff) - (palette[i] & 0xff);
            int distance = red * red + green * green + blue * blue;
            if (distance < least) {
                least = distance;
                best = i;
            }
        }
        return best;
    }
}
