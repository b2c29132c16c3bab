package io.headgate.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.stream.Collectors;

/**
 * A Lua script as Redis receives it: one command's file with the parts that it includes joined in, and its SHA-1.
 *
 * <p>A line {@code -- @include name} is replaced by the file of that name, and {@code -- @include algorithms} by the
 * parts of the kinds of limits that the script is loaded for. Comments and indentation stay behind.
 */
record Script(String name, String source, String sha1) {

    private static final String INCLUDE = "-- @include ";

    /** Loads the file {@code name.lua}, with the given parts as its algorithms. */
    static Script load(String name, Collection<String> algorithms) {
        String source = expand(name, algorithms);
        return new Script(name, source, sha1(source));
    }

    private static String expand(String part, Collection<String> algorithms) {
        return read(part)
                .lines()
                .map(String::strip)
                .map(line -> line.startsWith(INCLUDE) ? included(line.substring(INCLUDE.length()), algorithms) : line)
                .filter(line -> !line.isEmpty() && !line.startsWith("--"))
                .collect(Collectors.joining("\n"));
    }

    private static String included(String part, Collection<String> algorithms) {
        if (part.equals("algorithms")) {
            return algorithms.stream()
                    .map(algorithm -> expand(algorithm, algorithms))
                    .collect(Collectors.joining("\n"));
        }
        return expand(part, algorithms);
    }

    private static String read(String part) {
        try (InputStream file = Script.class.getResourceAsStream(part + ".lua")) {
            if (file == null) {
                throw new IllegalStateException("no script " + part + ".lua beside " + Script.class);
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(String source) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
