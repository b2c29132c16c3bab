package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.DisallowUnknownKeywordFactory;
import com.networknt.schema.JsonMetaSchema;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.NonValidationKeyword;
import com.networknt.schema.SchemaId;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/** Checks texts against the JSON Schema of policy files, as an editor does: plain numbers and booleans are not strings. */
final class PolicySchema {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final JsonNode json;
    private final JsonSchema schema;
    private final JsonSchema ofSchemas;

    PolicySchema() {
        try {
            json = JSON.readTree(PolicyFile.schema());
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
        JsonMetaSchema keywords = JsonMetaSchema.builder(JsonMetaSchema.getV202012())
                .keyword(new NonValidationKeyword("patternErrorMessage"))
                .unknownKeywordFactory(DisallowUnknownKeywordFactory.getInstance())
                .build();
        schema = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012, factory -> factory.metaSchema(keywords))
                .getSchema(json);
        ofSchemas = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                .getSchema(SchemaLocation.of(SchemaId.V202012));
    }

    /** Returns the schema itself. */
    JsonNode json() {
        return json;
    }

    /** Returns what is wrong with the schema itself. */
    List<String> ownProblems() {
        return messages(ofSchemas, json);
    }

    /** Returns what is wrong with a text in YAML; empty if the schema accepts it. */
    List<String> problems(String yaml) {
        try {
            LoadSettings settings =
                    LoadSettings.builder().setSchema(new CoreSchema()).build();
            return messages(schema, JSON.valueToTree(new Load(settings).loadFromString(yaml)));
        } catch (YamlEngineException e) {
            return List.of(String.valueOf(e.getMessage()));
        }
    }

    /** Asserts that the schema and the reader accept a text. */
    void assertBothAccept(String yaml) {
        assertThat(isRead(yaml)).as("whether the reader accepts %s", yaml).isTrue();
        assertThat(problems(yaml)).as("the problems of %s", yaml).isEmpty();
    }

    /** Asserts that neither the schema nor the reader accepts a text. */
    void assertBothReject(String yaml) {
        assertThat(isRead(yaml)).as("whether the reader accepts %s", yaml).isFalse();
        assertThat(problems(yaml)).as("the problems of %s", yaml).isNotEmpty();
    }

    /** Whether the reader accepts a text as that of a local file, while no variable is set. */
    static boolean isRead(String yaml) {
        try {
            PolicyFile.parseWithIncludes(yaml, "p.yaml", Map.of());
            return true;
        } catch (ConfigException e) {
            return false;
        }
    }

    private static List<String> messages(JsonSchema schema, JsonNode value) {
        return schema.validate(value).stream()
                .map(ValidationMessage::getMessage)
                .toList();
    }
}
