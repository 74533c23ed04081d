// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone.console;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
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

    /**
     * Half are the most frequent colours, half the most frequent one of each kind. Without the kinds, the many greys at the edges of
     * glyphs would take the place of a red that is rare and meant.
     */
    private static int[] palette(int[] pixels) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (int pixel : pixels) {
            counts.merge(pixel, 1, Integer::sum);
        }
        Map<Integer, Integer> ofKind = new HashMap<>();
        counts.keySet().forEach(colour -> ofKind.merge(colour & 0xf0f0f0, colour,
                (one, other) -> counts.get(one) >= counts.get(other) ? one : other));
        return Stream.concat(most(counts.keySet(), counts), most(ofKind.values(), counts)).distinct().mapToInt(Integer::intValue).toArray();
    }

    private static Stream<Integer> most(Collection<Integer> colours, Map<Integer, Integer> counts) {
        return colours.stream().sorted(Comparator.<Integer, Integer>comparing(counts::get).reversed()).limit(COLOURS / 2);
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
