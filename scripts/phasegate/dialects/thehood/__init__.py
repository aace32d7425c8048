"""TheHood: answers of agents to directives and records of the runtime, described by ``formats.yml``."""
