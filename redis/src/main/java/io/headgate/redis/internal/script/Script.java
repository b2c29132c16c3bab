package io.headgate.redis.internal.script;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A Lua script, its name and its SHA-1 for EVALSHA. {@link ScriptFiles} assembles the source. */
public record Script(String name, String source, String sha1) {

    /** Creates a script of that name and source. */
    public static Script of(String name, String source) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
            return new Script(name, source, HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }

    /** Returns the same script under another name in messages. */
    public Script named(String other) {
        return new Script(other, source, sha1);
    }

    @Override
    public String toString() {
        return name;
    }
}
