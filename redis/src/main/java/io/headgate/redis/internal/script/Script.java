package io.headgate.redis.internal.script;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A Lua script as Redis receives it, and the SHA-1 that it is called by; {@link ScriptFiles} joins it. */
public record Script(String name, String source, String sha1) {

    /** A script of that name and text. */
    public static Script of(String name, String source) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
            return new Script(name, source, HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
