//! What can go wrong between this program and a driver.

/// A failure of the driver, or of this program in its eyes.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// The context is not OpenGL 3.3 or later.
    #[error("{renderer} offers OpenGL {version}, but 3.3 is needed: install a newer graphics driver")]
    TooOld {
        /// `GL_VERSION`.
        version: String,
        /// `GL_RENDERER`.
        renderer: String,
    },
    /// The driver has no more of an object.
    #[error("the driver makes no {object}: {reason}")]
    Create {
        /// What was asked for.
        object: &'static str,
        /// The driver's reason.
        reason: String,
    },
    /// A shader is refused.
    #[error("the driver refuses the {stage} shader of {program}: {log}")]
    Compile {
        /// The program it belongs to.
        program: String,
        /// Vertex or fragment.
        stage: &'static str,
        /// The driver's words.
        log: String,
    },
    /// The shaders of a program do not fit together.
    #[error("the driver refuses to link {program}: {log}")]
    Link {
        /// The program.
        program: String,
        /// The driver's words.
        log: String,
    },
    /// The parts of a framebuffer do not fit together.
    #[error("the driver cannot draw into a framebuffer of {description} (status {status:#06x})")]
    Framebuffer {
        /// Its parts.
        description: String,
        /// `glCheckFramebufferStatus`.
        status: u32,
    },
    /// More than OpenGL can be told in one call.
    #[error("{size_bytes} bytes do not fit into one {object}")]
    TooLarge {
        /// What was to be filled.
        object: &'static str,
        /// Its size.
        size_bytes: usize,
    },
    /// The driver was reset, or its device is gone, and with it all that it held.
    #[error(
        "the graphics driver was reset{by}, while {during}, and what it held is lost: start again; if it comes back, ask for \
         less (a smaller picture, fewer instances, smaller textures) or install another driver"
    )]
    Lost {
        /// What was done.
        during: &'static str,
        /// Who caused it, as far as the driver tells.
        by: &'static str,
    },
    /// GL noted an error.
    #[error("OpenGL error {code:#06x} while {during}{}", meaning(*code))]
    Gl {
        /// What was done.
        during: &'static str,
        /// `glGetError`.
        code: u32,
    },
}

fn meaning(code: u32) -> &'static str {
    match code {
        glow::INVALID_ENUM => " (invalid enum)",
        glow::INVALID_VALUE => " (invalid value)",
        glow::INVALID_OPERATION => " (invalid operation)",
        glow::INVALID_FRAMEBUFFER_OPERATION => " (invalid framebuffer operation)",
        glow::OUT_OF_MEMORY => " (out of memory: a smaller picture, fewer instances or smaller textures need less)",
        _ => "",
    }
}
