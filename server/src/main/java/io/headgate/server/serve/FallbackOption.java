package io.headgate.server.serve;

import io.headgate.limits.Fallback;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Words;
import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the mode of the fallback on the command line. */
final class FallbackOption implements ITypeConverter<Fallback.Mode> {

    static final String EXPECTED =
            "local (this server's share of each limit), open (all may pass), closed (nothing may)" + " or none (503)";

    @Override
    public Fallback.Mode convert(String given) {
        return Arrays.stream(Fallback.Mode.values())
                .filter(mode -> Words.lower(mode).equals(given))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException(Quoted.of(given) + " is not " + EXPECTED));
    }
}
